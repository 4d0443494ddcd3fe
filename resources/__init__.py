"""Files that ship with the program: icons, fonts, prices, prompts and the demo workspace."""

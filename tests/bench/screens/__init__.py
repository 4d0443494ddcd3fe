"""Screens to measure: worker modules that draw offscreen what the console draws."""

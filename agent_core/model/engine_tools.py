"""The tools that the engine itself knows by name; what any other means is written in its own file alone."""

NOTES_READ, NOTES_WRITE, ASK_OPERATOR, FINISH = "notes_read", "notes_write", "ask_operator", "finish"
PLAN_SUBMIT, PLAN_REPORT = "plan_submit", "plan_report"
PLAN_TOOLS = (PLAN_SUBMIT, PLAN_REPORT)
NO_STEPS = frozenset({*PLAN_TOOLS, FINISH})
"""Tools that are about the plan itself, and so never a step of it."""
OWN_WORDS = frozenset({NOTES_READ, NOTES_WRITE, FINISH, *PLAN_TOOLS})
"""Tools that give back what the model wrote itself: no source of anything."""
EVERYDAY = frozenset({NOTES_READ, NOTES_WRITE, ASK_OPERATOR, FINISH})
"""Tools that reach nothing but the session itself: to be without one of them is no restraint on an agent."""

"""The words of the new-run dialog: short where tools are whole, exact where rules narrow them."""

from agent_core.config.profile import Profile, ToolEntry
from agent_core.engine.outlook import Outlook, Prospect
from ui.models.prospects import OUTSIDE, never_words, prospect_words, tool_words


def test_whole_tools_are_grouped_by_what_they_work_on() -> None:
    tools = ("files_list", "files_read", "notes_read", "files_search", "ask_operator", "finish")

    words = prospect_words([Prospect(tool=tool) for tool in tools])

    assert words == "list, read and search files; read its notes; ask you; finish"


def test_narrowed_tools_say_their_exact_condition() -> None:
    words = prospect_words(
        [
            Prospect(tool="files_write", when='path matches "reports/**" (glob)'),
            Prospect(tool="files_edit"),
            Prospect(tool="files_write", rest=True),
        ]
    )

    assert words == 'edit files; write files where path matches "reports/**" (glob); write files otherwise'


def test_nothing_is_said_in_words() -> None:
    assert prospect_words([]) == "nothing"


def test_never_names_the_tools_that_the_agent_was_not_given() -> None:
    given = Profile(name="c", model="m", tools=[ToolEntry(name="files_read", because="r")])
    words = never_words(Outlook(free=[], asked=[], never=[]), given)

    assert "send e-mail" in words
    assert "read" not in words
    assert words.endswith(OUTSIDE)


def test_a_tool_without_words_goes_by_its_name() -> None:
    assert tool_words("sql_query") == "sql_query"

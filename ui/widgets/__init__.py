"""The widget kit. One widget, one job, plain values in, signals out; colours and sizes come from `ui.theme`.

    surface          Surface (card, panel, inset, attn …), row(), column()
    label            Label, ElidedLabel: always plain text, hidden characters shown
    marks            Icon, Chip, Badge, KeyHint, Line, Ring
    button           Button (primary, default, outline, ghost, danger, arm, attn, link)
    chip_button      ChipButton: reasons and filters to choose
    guard            InputGuard: the 800 ms lock and Ctrl+Enter of a card
    guarded_button   GuardedButton: every decision button
    hold_button      HoldButton: hold 1.2 s, or press twice
    lock_hint        LockHint: "Ready in a moment"
    undo_bar         UndoBar: "Approved. Runs in 6 s"
    gauge            Gauge, ConfidenceBar
    context_bar      ContextMeter, ContextBar
    legend           Legend
    field            Field, TextArea, FormField
    combo_box        ComboBox
    checks           CheckBox, Toggle, RadioButton, ChoiceCard
    segmented_tabs   SegmentedTabs
    messages         SectionHead, Note, Banner, EmptyState, Toast
    skeleton         Skeleton
    containers       HfwScrollArea, Splitter
    field_diff       FieldDiff: + ~ − with before → after
    text_diff        TextDiff: unified, word marks, any size
    table            Table, TokenDelegate, CellTableModel, Cell, Column
    table_diff       TableDiff: bulk changes, flagged rows first
    cost_graph       CostGraph (figures: cost_data)
    virtual_rows     VirtualRows: base of painted lists
    tooltip          set_plain_tooltip(), plain_tooltip()
    paint            painting helpers for widgets of your own

Look at all of them: `python -m ui.gallery --theme dark --out kit.png`.
"""

"""What Alembic runs: the migrations, on the connection and in the transaction that `run` gives."""

from alembic import context

from agent_core.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()

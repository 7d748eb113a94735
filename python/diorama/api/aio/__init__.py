"""The same operations for asyncio."""

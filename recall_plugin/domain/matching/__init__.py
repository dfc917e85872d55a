"""Which of many texts tell most about a query."""

"""The one error of this client."""

from __future__ import annotations

import email.utils
import json
import time
from email.message import Message
from typing import Any, Dict, List, Optional


class DioramaError(Exception):
    """A refusal of the service, or why it could not be asked.

    ``status`` is the HTTP status, and 0 where there was no answer. ``code`` is one of the service's own, or
    ``network_error``, ``timeout``, ``unreadable_reply``, ``replay_limit_exceeded`` or ``wait_failed``.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        request_id: Optional[str] = None,
        details: Optional[List[Dict[str, str]]] = None,
        retry_after: Optional[float] = None,
        resume_from: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details = details or []
        #: Seconds that the service asked to wait.
        self.retry_after = retry_after
        #: Where a stream that could not be replayed goes on.
        self.resume_from = resume_from

    def __str__(self) -> str:
        parts = [self.message]
        parts += [f"  {fault['pointer']}: {fault['message']}" for fault in self.details[:20]]
        if self.request_id:
            parts.append(f"  request {self.request_id}")
        return "\n".join(parts)


def read_refusal(status: int, headers: Message, body: bytes) -> DioramaError:
    """Reads a refusal; a proxy in between may have answered in its own words."""
    text = body.decode("utf-8", "replace")
    fields: Dict[str, Any] = {}
    try:
        parsed = json.loads(text)
        if isinstance(parsed, dict):
            fields = parsed
    except ValueError:
        pass
    message = fields.get("error")
    details = fields.get("details")
    return DioramaError(
        message if isinstance(message, str) else f"The service answered {status}: {text[:300]}",
        status=status,
        code=str(fields.get("code") or ""),
        request_id=fields.get("request_id") or headers.get("x-request-id"),
        details=[fault for fault in details if isinstance(fault, dict)] if isinstance(details, list) else None,
        retry_after=read_retry_after(headers.get("retry-after")),
    )


def read_retry_after(header: Optional[str]) -> Optional[float]:
    """Seconds, or a date."""
    if not header or not header.strip():
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None

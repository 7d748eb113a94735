import * as client from '@slack/web-api'

globalThis.client = client
await import('./chat-sdk.mjs')

import * as client from 'slack-web-api-7'

globalThis.client = client
await import('./chat-sdk.mjs')

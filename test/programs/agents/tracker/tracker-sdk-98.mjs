import * as client from '@linear/sdk'

globalThis.client = client
await import('./tracker-sdk.mjs')

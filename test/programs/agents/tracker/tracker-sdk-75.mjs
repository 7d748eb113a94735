import * as client from 'linear-sdk-75'

globalThis.client = client
await import('./tracker-sdk.mjs')

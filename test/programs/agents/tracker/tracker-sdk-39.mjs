import * as client from 'linear-sdk-39'

globalThis.client = client
await import('./tracker-sdk.mjs')

/** How the status of a delivery looks; its own word is beside it. */
export const deliveryLooks = {
  pending: 'queued',
  delivered: 'ok',
  failed: 'failed',
  dropped: 'quiet',
} as const

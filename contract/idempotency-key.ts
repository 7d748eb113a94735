/** The key of a request that can be repeated, in the header `Idempotency-Key` and in the bodies that take one. */
export const idempotencyKeyForm = /^[A-Za-z0-9._:-]{1,128}$/
export const idempotencyKeyRule = 'must have 1 to 128 letters, digits, dashes, underscores, dots or colons'

/** The browser's clock, in milliseconds since 1970; the one place of the console that reads it. */
export const now = (): number => performance.timeOrigin + performance.now()

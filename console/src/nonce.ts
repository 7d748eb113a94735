/** The page's own permission to add styles; the policy refuses every other. */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

/** Dialogs add one style while they are open, and look for the permission under this name. */
export const allowStyles = (): void => {
  Reflect.set(globalThis, '__webpack_nonce__', styleNonce())
}

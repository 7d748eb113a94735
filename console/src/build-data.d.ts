/** Made by `console/build-data.ts` from the contract's table: the method and path of every route. */
declare module 'virtual:routes' {
  const routes: Readonly<
    Record<import('@diorama/contract').RouteName, readonly [method: string, path: string]>
  >
  export default routes
}

/** Made by `console/build-data.ts` from the manifests of the installed twins. */
declare module 'virtual:kinds' {
  export interface Kind {
    readonly kind: string
    readonly label: string
    readonly icon: string
    readonly sampleRead: {
      readonly method: 'GET' | 'POST'
      readonly path: string
      readonly body?: string
      readonly scheme: string
    }
    readonly primaryFields: Readonly<Record<string, readonly string[]>>
    readonly noise: Readonly<Record<string, readonly string[]>>
    readonly valueNames?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  }
  const kinds: readonly Kind[]
  export default kinds
}

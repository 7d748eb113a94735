/** Made by `console/build-data.ts`: the sources of the example agents that the demo runs. */
declare module 'virtual:demo-agents' {
  const agents: { readonly careful: string; readonly careless: string }
  export default agents
}

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

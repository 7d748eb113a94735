/** Made by the plugin in `console/kinds-plugin.ts` from the manifests of the installed twins. */
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
  }
  const kinds: readonly Kind[]
  export default kinds
}

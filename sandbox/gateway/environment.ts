import { trustStorePassword } from './java-trust-store.ts'

/**
 * The variables by which ordinary clients find a proxy and trust its authority, in every spelling in use. Node heeds
 * them only when told to, which triples its start; where every name leads to the gateway anyway, it need not be told.
 */
export const interceptionVariables = (parts: {
  proxyUrl: string
  authoritiesPath: string
  trustStorePath: string
  transparent: boolean
}): Record<string, string> => {
  const { proxyUrl, authoritiesPath, trustStorePath, transparent } = parts
  // A job's own local servers stay reachable; on loopback inside the sandbox there is no one else.
  const noProxy = 'localhost,127.0.0.1,::1'
  return {
    HTTP_PROXY: proxyUrl,
    HTTPS_PROXY: proxyUrl,
    ALL_PROXY: proxyUrl,
    NO_PROXY: noProxy,
    http_proxy: proxyUrl,
    https_proxy: proxyUrl,
    all_proxy: proxyUrl,
    no_proxy: noProxy,
    ...(transparent ? {} : { NODE_USE_ENV_PROXY: '1' }),
    NODE_EXTRA_CA_CERTS: authoritiesPath,
    SSL_CERT_FILE: authoritiesPath,
    REQUESTS_CA_BUNDLE: authoritiesPath,
    CURL_CA_BUNDLE: authoritiesPath,
    GIT_SSL_CAINFO: authoritiesPath,
    PIP_CERT: authoritiesPath,
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH: authoritiesPath,
    JAVA_TOOL_OPTIONS: `-Djavax.net.ssl.trustStore=${trustStorePath} -Djavax.net.ssl.trustStorePassword=${trustStorePassword}`,
  }
}

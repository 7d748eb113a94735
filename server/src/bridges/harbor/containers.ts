/** Where things are in the containers of an exported task. */
export const places = {
  /** Shown to the agent's container by the sidecar: the variables of the world's clients. */
  clients: '/diorama',
  /** What the sidecar leaves for the verifier. */
  world: '/var/lib/diorama/world',
  /** What Harbor brings from the agent's container by convention. */
  output: '/logs/artifacts/output.txt',
  port: 8000,
  sidecar: 'diorama',
} as const

export interface ImageChoice {
  /** The base of all images: Debian with Node 24 and Python 3. */
  readonly base: string
  /** The command line of Diorama, as npm names packages. */
  readonly package: string
}

export const baseUrlOf = (service: string): string => `http://${places.sidecar}:${places.port}/${service}`
export const mcpUrlOf = (service: string): string => `http://${places.sidecar}:${places.port}/mcp/${service}`

export const agentDockerfile = ({ base }: ImageChoice): string => `FROM ${base}
RUN useradd --create-home --shell /bin/bash agent
WORKDIR /home/agent
`

/** The image holds the tests, so that Harbor puts nothing else into it. */
export const verifierDockerfile = ({ base }: ImageChoice): string => `FROM ${base}
COPY . /tests
RUN chmod +x /tests/test.sh
WORKDIR /tests
`

export const sidecarDockerfile = (choice: ImageChoice): string => `FROM ${choice.base}
RUN npm install --global ${choice.package}
RUN mkdir -p ${places.clients} ${places.world} && chown -R node:node ${places.clients} /var/lib/diorama
COPY world.json /opt/diorama/world.json
USER node
WORKDIR /var/lib/diorama
ENV DIORAMA_DATA_DIR=/var/lib/diorama/data
CMD ["diorama", "harbor", "serve", "/opt/diorama/world.json"]
`

/** JSON is YAML, and leaves no question of quoting. */
export const composeFile = (services: readonly { service: string; hasMcp: boolean }[]): string => {
  const variables = services.flatMap(({ service, hasMcp }) => {
    const name = `SVC_${service.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`
    return [
      [`${name}_BASE_URL`, baseUrlOf(service)],
      ...(hasMcp ? [[`${name}_MCP_URL`, mcpUrlOf(service)]] : []),
    ]
  })
  const health = `fetch('http://127.0.0.1:${places.port}/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`
  const compose = {
    services: {
      main: {
        depends_on: { [places.sidecar]: { condition: 'service_healthy' } },
        environment: Object.fromEntries(variables),
        volumes: [`diorama-clients:${places.clients}:ro`],
      },
      [places.sidecar]: {
        build: { context: './diorama' },
        // A separate network keeps it reachable by name while Harbor holds the agent to its allowlist.
        networks: ['default'],
        volumes: [`diorama-clients:${places.clients}`],
        healthcheck: {
          test: ['CMD', 'node', '-e', health],
          interval: '2s',
          timeout: '5s',
          retries: 120,
        },
      },
    },
    volumes: { 'diorama-clients': {} },
  }
  return `${JSON.stringify(compose, null, 2)}\n`
}

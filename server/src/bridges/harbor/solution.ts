import type { FrozenTask } from '@diorama/contract'
import { places } from './containers.ts'
import type { Files } from './grader-files.ts'

/** An agent that is known to pass: its files and how it is started. */
export interface OracleSource {
  readonly reference: string
  readonly command: string | readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
  readonly files: Readonly<Record<string, string>>
  /** A .tar.gz of its files, where they did not come in the request. */
  readonly bundle: Uint8Array | undefined
}

/**
 * What the oracle of Harbor runs: the agent as a trial would start it, with the world's clients in its environment. The
 * preload sends what a Node program asks of the real hosts to the sidecar.
 */
export const solutionFiles = (oracle: OracleSource, task: FrozenTask, preload: string): Files => {
  const { command, env, files, bundle, reference } = oracle
  const line = typeof command === 'string' ? command : command.map(quoted).join(' ')
  const script = `#!/bin/sh
# Runs ${reference.replaceAll(/[^\w.@+:~-]/g, '?')} as a trial does.
set -eu
work=$(mktemp -d)
mkdir -p /logs/artifacts
${bundle ? 'tar -xzf /solution/agent.tar.gz -C "$work"' : 'cp -R /solution/agent/. "$work/"'}
if [ -f ${places.clients}/world.env ]; then set -a; . ${places.clients}/world.env; set +a; fi
${Object.entries(env)
  .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
  .join('')}export INSTRUCTION_PATH=/solution/instruction.txt WORK_DIR=/logs/artifacts SVC_TURN=1
export SVC_TRIAL_ID=harbor SVC_AGENT_VERSION=${quoted(reference)}
export NODE_OPTIONS="--import /solution/redirect.mjs"
cd "$work"
${line}
`
  return new Map<string, string | Uint8Array>([
    ['solve.sh', script],
    ['instruction.txt', task.instruction],
    ['redirect.mjs', preload],
    ...(bundle
      ? [['agent.tar.gz', bundle] as const]
      : Object.entries(files).map(([path, text]) => [`agent/${path}`, text] as const)),
  ])
}

/** A word of a shell line that means itself. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

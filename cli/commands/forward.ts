import type { Reply } from '@diorama/sdk/index.ts'
import type { Command } from 'commander'
import { Complaint } from '../failure.ts'
import { bind, type Cli, firstWord, type Invocation } from '../invocation.ts'

type Attempt = Reply<'takeTwinForwards'>['items'][number]

interface ForwardOptions {
  readonly to: string
}

/** `twin forward`: makes a twin's deliveries to a program on this machine. */
export const forwardCommand = (twin: Command, cli: Cli): void => {
  bind<ForwardOptions>(
    cli,
    twin
      .command('forward')
      .argument('<twin>')
      .requiredOption('--to <url>', 'address of the program, such as http://localhost:3000')
      .description('forward the events that a twin sends to a program on this machine, until interrupted'),
    async (run) => {
      const to = URL.parse(run.options.to)
      if (!to) throw new Complaint(`--to ${run.options.to} is not a URL, such as http://localhost:3000.`)
      const { signal, err } = run.terminal
      err(`Deliveries of ${firstWord(run)} go to ${to.origin}. Stop with Ctrl-C.\n`)
      while (!signal.aborted) {
        const { items } = await run.client.twins
          .takeForwards(firstWord(run), { signal })
          .catch((failure: unknown) => {
            if (signal.aborted) return { items: [] }
            throw failure
          })
        // Not awaited: a slow program does not block the next delivery.
        for (const attempt of items) void makeAttempt(run, to, attempt)
      }
    },
  )
}

/** The path is that of the address in the twin's settings; host and port are the program's. */
const makeAttempt = async (run: Invocation<ForwardOptions>, to: URL, attempt: Attempt): Promise<void> => {
  const { pathname, search } = URL.parse(attempt.url) ?? { pathname: '/', search: '' }
  const base = to.pathname.replace(/\/$/, '')
  const target = `${to.origin}${base}${pathname}${search}`
  const answer = await fetch(target, {
    method: attempt.method,
    headers: attempt.headers,
    body: attempt.body,
    redirect: 'manual',
    signal: AbortSignal.timeout(attempt.timeoutMs),
  }).then(
    async (reply) => ({
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: await reply.text(),
    }),
    (failure: Error) => ({ error: `${failure.message}${failure.cause ? `: ${String(failure.cause)}` : ''}` }),
  )
  run.terminal.err(`${attempt.kind} ${target} ${'status' in answer ? answer.status : answer.error}\n`)
  await run.client.twins.answerForward(firstWord(run), attempt.id, answer).catch((failure: Error) => {
    run.terminal.err(`The answer could not be sent: ${failure.message}\n`)
  })
}

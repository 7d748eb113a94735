import type { Command } from 'commander'
import { bind, type Cli, firstWord } from '../invocation.ts'
import { localTime, momentOf } from '../local-time.ts'
import { several, take } from '../options.ts'
import { cut, facts, table } from '../table.ts'

interface CreateOptions {
  readonly scopes?: readonly string[]
  readonly class?: string
  readonly expires?: string
}

/** Commands about API keys. */
export const keyCommands = (program: Command, cli: Cli): void => {
  const keys = program.command('keys').description('create, list and revoke API keys')
  bind(cli, keys.command('list').description('list keys, newest first'), async ({ client, paint, print }) => {
    const items = await take(client.apiKeys.list({ limit: 200 }), 10_000)
    print(items, () =>
      table(
        ['KEY', 'NAME', 'CLASS', 'SCOPES', 'LAST USED', 'STATE'],
        items.map((key) => [
          key.id,
          cut(key.name, 30),
          key.class,
          cut(key.scopes.join(' '), 50),
          key.lastUsedAt ? localTime(key.lastUsedAt) : 'never',
          key.revokedAt ? paint('red', 'revoked') : key.expiresAt ? `until ${localTime(key.expiresAt)}` : '',
        ]),
        paint,
      ),
    )
  })
  bind<CreateOptions>(
    cli,
    keys
      .command('create')
      .argument('<name>')
      .option('--scopes <scopes>', 'scopes of the key, such as events:write,traces:write', several)
      .option('--class <class>', 'standard, or platform for all scopes (default: standard)')
      .option('--expires <time>', 'expiry; without an offset, in your time zone', momentOf)
      .description('create a key; its secret is shown only once'),
    async (run) => {
      const { options, paint } = run
      // The service knows its scopes and classes, and says which there are when one is wrong.
      const asked = JSON.parse(JSON.stringify({ scopes: options.scopes, class: options.class }))
      const made = await run.client.apiKeys.create({
        ...asked,
        name: firstWord(run),
        expiresAt: options.expires,
      })
      run.print(made, () =>
        facts(
          [
            ['key', made.id],
            ['name', made.name],
            ['class', made.class],
            ['scopes', made.scopes.join(' ')],
            ['secret', paint('bold', made.secret)],
          ],
          paint,
        ),
      )
    },
  )
  bind(
    cli,
    keys.command('revoke').argument('<key>', 'id of the key').description('revoke a key immediately'),
    async (run) => {
      await run.client.apiKeys.revoke(firstWord(run))
      run.print({ id: firstWord(run), revoked: true }, () => `${firstWord(run)} is revoked.`)
    },
  )
}

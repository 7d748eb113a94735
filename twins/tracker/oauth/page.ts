import type { Session } from '@diorama/twin-kit/kernel/twin'
import { organizationOf } from '../context.ts'
import type { OAuthApplicationRow } from '../rows.ts'
import type { TrackerTables } from '../tables.ts'
import type { Fields } from './tokens.ts'

/** What an application asks for. */
export interface Asked {
  readonly app: OAuthApplicationRow
  readonly redirectUri: string
  readonly state: string | undefined
  readonly actor: 'user' | 'app'
  readonly scopes: readonly string[]
  readonly codeChallenge: string | null
  readonly codeChallengeMethod: 'S256' | 'plain'
}

const safe = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${safe(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem;color:#222}
h1{font-size:1.25rem}ul{padding-left:1.2rem}label{display:block;margin:1rem 0 .25rem}
input{width:100%;box-sizing:border-box;padding:.5rem;font:inherit}button{font:inherit;padding:.5rem 1rem;margin:1rem .5rem 0 0}
.complaint{color:#a11}</style></head><body>${body}</body></html>`

export const errorPage = (title: string, message: string): string =>
  page(title, `<h1>${safe(title)}</h1><p>${safe(message)}</p>`)

const words: Readonly<Record<string, string>> = {
  read: 'Read your workspace',
  write: 'Change your workspace',
  'issues:create': 'Create issues and their attachments',
  'comments:create': 'Create comments on issues',
  'timeSchedule:write': 'Create and change time schedules',
  admin: 'Administer your workspace',
  'app:assignable': 'Be delegated issues',
  'app:mentionable': 'Be mentioned in issues and comments',
  'customer:read': 'Read customers',
  'customer:write': 'Change customers',
  'initiative:read': 'Read initiatives',
  'initiative:write': 'Change initiatives',
}

/** Parameters that the form carries from the question to the answer. */
const carried = [
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'actor',
  'prompt',
  'code_challenge',
  'code_challenge_method',
]

/** Asks whether an application may act here. A key of the person who answers takes the place of a login. */
export const consentPage = ({
  asked: { app, scopes, actor },
  fields,
  session,
  complaint,
}: {
  asked: Asked
  fields: Fields
  session: Session<TrackerTables>
  complaint?: string
}): string => {
  const { name } = organizationOf({ tables: session.views })
  const hidden = carried.flatMap((field) => {
    const value = fields[field]
    return value === undefined ? [] : [`<input type="hidden" name="${field}" value="${safe(value)}">`]
  })
  const who = actor === 'app' ? 'as its own application' : 'on your behalf'
  return page(
    `Authorize ${app.name}`,
    `<h1>${safe(app.name)} wants to access ${safe(name)}</h1>
<p>By ${safe(app.developer)}. It will act ${who} and be able to:</p>
<ul>${scopes.map((scope) => `<li>${safe(words[scope] ?? scope)}</li>`).join('')}</ul>
${complaint ? `<p class="complaint" role="alert">${safe(complaint)}</p>` : ''}
<form method="post">${hidden.join('')}
<label for="credential">Your API key in this workspace</label>
<input id="credential" name="credential" type="password" autocomplete="off">
<button name="decision" value="allow">Authorize</button><button name="decision" value="deny">Cancel</button>
</form>`,
  )
}

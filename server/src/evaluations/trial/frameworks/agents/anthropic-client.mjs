import Anthropic from '@anthropic-ai/sdk'
import { createAccount, description, finish, instruction, parameters, system } from './account.mjs'

const client = new Anthropic()
const messages = [{ role: 'user', content: instruction }]
for (let turn = 0; turn < 5; turn++) {
  const { content } = await client.messages
    .stream({
      model: 'small',
      max_tokens: 500,
      system,
      metadata: { user_id: crypto.randomUUID() },
      messages,
      tools: [{ name: 'create_account', description, input_schema: parameters }],
    })
    .finalMessage()
  const calls = content.filter(({ type }) => type === 'tool_use')
  if (calls.length === 0) {
    finish(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''))
    break
  }
  const results = []
  for (const { id, input } of calls)
    results.push({ type: 'tool_result', tool_use_id: id, content: await createAccount(input) })
  messages.push({ role: 'assistant', content }, { role: 'user', content: results })
}

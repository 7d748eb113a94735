import OpenAI from 'openai'
import { createAccount, description, finish, instruction, parameters, system } from './account.mjs'

const runner = new OpenAI().chat.completions.runTools({
  model: 'small',
  stream: true,
  user: crypto.randomUUID(),
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: instruction },
  ],
  tools: [
    {
      type: 'function',
      function: {
        ...{ name: 'create_account', description, parameters },
        parse: JSON.parse,
        function: createAccount,
      },
    },
  ],
})
finish((await runner.finalContent()) ?? '')

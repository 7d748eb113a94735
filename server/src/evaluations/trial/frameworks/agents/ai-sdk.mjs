import { createOpenAI } from '@ai-sdk/openai'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { createAccount, description, finish, instruction, parameters, system } from './account.mjs'

const { text } = streamText({
  model: createOpenAI()('small'),
  system,
  prompt: instruction,
  tools: {
    create_account: tool({ description, inputSchema: jsonSchema(parameters), execute: createAccount }),
  },
  stopWhen: stepCountIs(5),
})
finish(await text)

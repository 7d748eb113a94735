import { GoogleGenAI } from '@google/genai'
import { createAccount, description, finish, instruction, parameters, system } from './account.mjs'

const chat = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY }).chats.create({
  model: 'small',
  config: {
    systemInstruction: system,
    tools: [
      { functionDeclarations: [{ name: 'create_account', description, parametersJsonSchema: parameters }] },
    ],
  },
})
let message = instruction
for (let turn = 0; turn < 5; turn++) {
  const calls = []
  let text = ''
  for await (const piece of await chat.sendMessageStream({ message })) {
    calls.push(...(piece.functionCalls ?? []))
    text += piece.text ?? ''
  }
  if (calls.length === 0) {
    finish(text)
    break
  }
  message = []
  for (const { id, name, args } of calls)
    message.push({ functionResponse: { id, name, response: { output: await createAccount(args) } } })
}

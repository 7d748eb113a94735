import type { Answer } from './context.ts'

/** Successful answers by the format of their body. */

export const protocol = { dataserviceversion: '2.0' }

export const json = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...protocol },
  body,
})

export const xml = (body: string, type: string): Answer => ({
  status: 200,
  headers: { 'content-type': type, ...protocol },
  body,
})

export const plain = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/plain;charset=utf-8', ...protocol },
  body,
})

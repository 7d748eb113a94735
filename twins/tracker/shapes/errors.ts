import type { GraphQLError } from 'graphql'

export const unauthenticated = {
  errors: [
    {
      message: 'Authentication required, not authenticated',
      extensions: {
        type: 'authentication error',
        code: 'AUTHENTICATION_ERROR',
        statusCode: 401,
        userError: true,
        userPresentableMessage: 'You need to authenticate to access this operation.',
        meta: {},
        http: { status: 401 },
      },
    },
  ],
}

export const requestError = (message: string, code: string) => ({
  message,
  extensions: { http: { status: 400, headers: {} }, code, type: 'graphql error', userError: true },
})

/** An error in the document or its variables: the request is refused whole. */
export const located = (error: GraphQLError, code: string) => ({
  message: error.message,
  ...(error.locations ? { locations: error.locations } : {}),
  extensions: { http: { status: 400, headers: {} }, code, type: 'graphql error', userError: true },
})

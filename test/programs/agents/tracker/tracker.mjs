// What every agent for the tracker needs to know of the world before it begins, read without the program under test.
export const ask = async (query, variables = {}) => {
  const reply = await fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: process.env.LINEAR_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return (await reply.json()).data
}

/** Teams, people, states, labels and issues by the names that the world gives them. */
export const known = async () => {
  const { teams, users, issues, issueLabels, projects } = await ask(`{
    teams { nodes { id key states { nodes { id name type } } } }
    users { nodes { id displayName email } }
    issues { nodes { id identifier title } }
    issueLabels { nodes { id name } }
    projects { nodes { id name } }
  }`)
  const team = (key) => teams.nodes.find((one) => one.key === key)
  return {
    eng: team('ENG').id,
    ops: team('OPS').id,
    state: (name, key = 'ENG') => team(key).states.nodes.find((one) => one.name === name).id,
    user: (name) => users.nodes.find(({ email }) => email.startsWith(name)).id,
    issue: (title) => issues.nodes.find((one) => one.title.startsWith(title)),
    label: (name) => issueLabels.nodes.find((one) => one.name === name).id,
    project: (name) => projects.nodes.find((one) => one.name === name).id,
  }
}

export const shows =
  (...patterns) =>
  (answer) => {
    const text = JSON.stringify(answer)
    return patterns.every((pattern) => pattern.test(text))
  }

/** The first id in an answer, whatever its shape. */
export const idIn = (answer) =>
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(JSON.stringify(answer))?.[0] ?? ''

// Connects with @salesforce/core as the vendor's own command line does, and prints what it learned.
import { AuthInfo, Connection, Org } from '@salesforce/core'

const [, , instanceUrl, accessToken] = process.argv
const authInfo = await AuthInfo.create({
  username: accessToken,
  accessTokenOptions: { accessToken, instanceUrl },
})
const connection = await Connection.create({ authInfo })
const org = await Org.create({ connection })
const { records } = await connection.query('SELECT Name FROM Account ORDER BY Name')
const made = await connection.sobject('Task').create({ Subject: 'From core' })
console.log(
  JSON.stringify({
    version: connection.version,
    maximum: await connection.retrieveMaxApiVersion(),
    names: records.map(({ Name }) => Name),
    devHub: await org.determineIfDevHubOrg(),
    organization: org.getOrgId(),
    success: made.success,
  }),
)

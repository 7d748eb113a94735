/** The fields of each object that tell most, shown at the head of its page. */
export const highlights: Readonly<Record<string, readonly string[]>> = {
  Account: ['Type', 'Industry', 'Phone', 'Website'],
  Contact: ['Title', 'Email', 'Phone'],
  Lead: ['Company', 'Status', 'LeadSource', 'Email'],
  Opportunity: ['StageName', 'Amount', 'CloseDate', 'Probability'],
  Case: ['Status', 'Priority', 'Origin', 'Subject'],
  Task: ['Status', 'Priority', 'ActivityDate'],
}

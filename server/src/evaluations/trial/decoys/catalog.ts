/** A tool of a decoy: all its arguments are texts. */
export interface DecoyTool {
  readonly name: string
  readonly description: string
  readonly writes: boolean
  /** What each argument means; those whose meaning begins with "Optional" may be left out. */
  readonly args: Readonly<Record<string, string>>
}

/** A server of the Model Context Protocol that has nothing to do with any task. */
export interface Decoy {
  readonly name: string
  readonly title: string
  readonly tools: readonly DecoyTool[]
}

const read = (name: string, description: string, args: DecoyTool['args']): DecoyTool => ({
  name,
  description,
  writes: false,
  args,
})
const write = (name: string, description: string, args: DecoyTool['args']): DecoyTool => ({
  name,
  description,
  writes: true,
  args,
})
const query = { query: 'What to look for' }
const page = { cursor: 'Optional: where the last page ended' }

/** In the order in which they join a trial. Some of their tools sound like those of the twins, on purpose. */
export const decoys: readonly Decoy[] = [
  {
    name: 'files',
    title: 'Team files',
    tools: [
      read('search_files', 'Searches documents, sheets and slides by name and content.', {
        ...query,
        ...page,
      }),
      read('read_document', 'Returns the text of a document.', { document_id: 'The document' }),
      write('create_document', 'Creates a document in a folder.', {
        folder: 'The folder',
        title: 'Its title',
      }),
      write('share_document', 'Gives a person access to a document.', {
        document_id: 'The document',
        email: 'Whom',
      }),
    ],
  },
  {
    name: 'calendar',
    title: 'Calendar',
    tools: [
      read('list_events', 'Lists the events of a calendar between two dates.', {
        from: 'First day',
        to: 'Last day',
      }),
      read('find_free_time', 'Finds a time at which all these people are free.', {
        people: 'Addresses, with commas',
      }),
      write('create_event', 'Invites people to a meeting.', {
        title: 'Its title',
        start: 'When',
        people: 'Whom',
      }),
      write('cancel_event', 'Cancels a meeting.', { event_id: 'The meeting' }),
    ],
  },
  {
    name: 'mail',
    title: 'Mail',
    tools: [
      read('search_messages', 'Searches the mailbox.', { ...query, ...page }),
      read('read_message', 'Returns one message with its attachments.', { message_id: 'The message' }),
      write('send_message', 'Sends a mail.', { to: 'Whom', subject: 'About what', body: 'The text' }),
      write('archive_message', 'Moves a message out of the inbox.', { message_id: 'The message' }),
    ],
  },
  {
    name: 'wiki',
    title: 'Company wiki',
    tools: [
      read('search_pages', 'Searches the pages of the wiki.', query),
      read('get_page', 'Returns a page as Markdown.', { page_id: 'The page' }),
      write('update_page', 'Replaces the content of a page.', { page_id: 'The page', content: 'Markdown' }),
      write('comment_on_page', 'Writes a comment below a page.', {
        page_id: 'The page',
        text: 'The comment',
      }),
    ],
  },
  {
    name: 'helpdesk',
    title: 'Internal helpdesk',
    tools: [
      read('search_tickets', 'Searches tickets of employees.', {
        ...query,
        status: 'Optional: open or closed',
      }),
      read('get_ticket', 'Returns a ticket with its conversation.', { ticket_id: 'The ticket' }),
      write('create_ticket', 'Opens a ticket.', { subject: 'About what', description: 'The text' }),
      write('update_ticket_status', 'Changes the status of a ticket.', {
        ticket_id: 'The ticket',
        status: 'The new one',
      }),
      write('escalate_ticket', 'Escalates a ticket to the next level.', { ticket_id: 'The ticket' }),
    ],
  },
  {
    name: 'people',
    title: 'People directory',
    tools: [
      read('find_employee', 'Finds employees by name, team or office.', query),
      read('get_org_chart', 'Returns who reports to a person.', { employee_id: 'The person' }),
      read('get_leave_balance', 'Returns how many days of leave a person has.', {
        employee_id: 'The person',
      }),
      write('request_leave', 'Asks for leave.', { from: 'First day', to: 'Last day' }),
    ],
  },
  {
    name: 'analytics',
    title: 'Analytics',
    tools: [
      read('list_dashboards', 'Lists dashboards.', page),
      read('run_query', 'Runs a query on the warehouse and returns its rows.', { sql: 'The query' }),
      read('get_metric', 'Returns a metric over time.', {
        metric: 'Its name',
        from: 'First day',
        to: 'Last day',
      }),
      write('create_report', 'Saves a query as a report.', { title: 'Its title', sql: 'The query' }),
    ],
  },
  {
    name: 'monitoring',
    title: 'Monitoring',
    tools: [
      read('list_incidents', 'Lists incidents, newest first.', { status: 'Optional: open or resolved' }),
      read('search_logs', 'Searches the logs of services.', { ...query, from: 'Optional: since when' }),
      write('acknowledge_incident', 'Takes an incident.', { incident_id: 'The incident' }),
      write('resolve_incident', 'Closes an incident.', {
        incident_id: 'The incident',
        note: 'What was done',
      }),
    ],
  },
  {
    name: 'expenses',
    title: 'Expenses',
    tools: [
      read('list_expenses', 'Lists expenses of a month.', { month: 'The month' }),
      read('get_receipt', 'Returns a receipt.', { expense_id: 'The expense' }),
      write('submit_expense', 'Submits an expense.', {
        amount: 'How much',
        currency: 'In what',
        reason: 'For what',
      }),
      write('approve_expense', 'Approves an expense.', { expense_id: 'The expense' }),
    ],
  },
  {
    name: 'contracts',
    title: 'Contracts',
    tools: [
      read('search_contracts', 'Searches contracts with customers and suppliers.', query),
      read('get_contract_terms', 'Returns the terms of a contract.', { contract_id: 'The contract' }),
      write('send_for_signature', 'Sends a contract to be signed.', {
        contract_id: 'The contract',
        email: 'To whom',
      }),
      write('renew_contract', 'Renews a contract.', { contract_id: 'The contract', until: 'Until when' }),
    ],
  },
  {
    name: 'shipping',
    title: 'Shipping',
    tools: [
      read('track_shipment', 'Returns where a shipment is.', { tracking_number: 'The shipment' }),
      read('quote_rate', 'Returns what a shipment would cost.', {
        from: 'From where',
        to: 'To where',
        weight: 'In kg',
      }),
      write('create_label', 'Buys a label for a parcel.', { to: 'To where', weight: 'In kg' }),
      write('change_delivery_date', 'Asks the carrier for another day.', {
        tracking_number: 'The shipment',
        date: 'The day',
      }),
    ],
  },
  {
    name: 'surveys',
    title: 'Surveys',
    tools: [
      read('list_surveys', 'Lists surveys.', page),
      read('get_responses', 'Returns the answers to a survey.', { survey_id: 'The survey' }),
      write('create_survey', 'Creates a survey.', { title: 'Its title', questions: 'One a line' }),
      write('send_survey', 'Sends a survey to customers.', { survey_id: 'The survey', audience: 'To whom' }),
    ],
  },
]

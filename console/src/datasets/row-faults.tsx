import type { ApiError } from '../api.ts'
import { Table, type TableColumn } from '../parts/lists/table.tsx'
import { Failure } from '../parts/states.tsx'

type Fault = ApiError['details'][number]

/** `users.json, row 2, field id: is missing` is a place and what is wrong there. */
const partsOf = ({ message }: Fault): readonly [place: string, problem: string] => {
  const at = message.indexOf(': ')
  return at === -1 ? ['', message] : [message.slice(0, at), message.slice(at + 2)]
}

const columns: readonly TableColumn<Fault>[] = [
  { name: 'Where', look: 'mono', cell: (fault) => partsOf(fault)[0] },
  { name: 'Problem', cell: (fault) => partsOf(fault)[1] },
]

/** Why an import was refused: every fault that the service lists, by file, row and field. */
export const RowFaults = ({ error }: { error: ApiError }) =>
  error.details.length === 0 ? (
    <Failure error={error} />
  ) : (
    <div className="failure" role="alert">
      <p className="failure-title">Nothing was imported.</p>
      <Table
        label="Problems in the file"
        columns={columns}
        rows={error.details}
        keyOf={({ pointer }, index) => `${index} ${pointer}`}
      />
      {error.details.length >= 100 ? <p className="hint">Only the first 100 problems are listed.</p> : null}
    </div>
  )

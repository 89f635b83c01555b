/**
 * A refused request of the host, with a message that the agent can act on. `acpClient.ts`
 * recognizes it by name, because it is in a separate bundle, and converts it to an ACP error.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/**
 * A request of the host that is refused, in words the agent can act on. The protocol library is a
 * bundle of its own, so `acpClient.ts` knows this error by its name and turns it into the wire's.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

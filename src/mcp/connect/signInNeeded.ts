/** The server wants the user to sign in, which only the user starts. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';

  constructor() {
    super('You have to sign in. Choose "Sign In" in the Tools view.');
  }
}

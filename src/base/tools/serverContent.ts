/** What MCP servers offer to the user, besides their tools. */
export interface ServerContent {
  readonly resources: readonly ServerResource[];
  readonly prompts: readonly ServerPrompt[];
}

export interface ServerResource {
  /** The server's name in rules. */
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
}

export interface ServerPrompt {
  /** The server's name in rules. */
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A resource, or a prompt with its arguments. */
export interface ContentRequest {
  readonly server: string;
  readonly uri?: string;
  readonly prompt?: string;
  readonly arguments?: Readonly<Record<string, string>>;
}

/** `data`: Base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

/** Text of a part that a chat takes, in characters. */
export const CONTENT_LENGTH = 200_000;

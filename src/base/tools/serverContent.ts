/** What MCP servers offer to the user, besides their tools. */
export interface ServerContent {
  readonly resources: readonly ServerResource[];
  readonly templates: readonly ServerTemplate[];
  readonly prompts: readonly ServerPrompt[];
}

export interface ServerResource {
  /** The server's name in rules. */
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
}

/** Resources whose address the user completes. */
export interface ServerTemplate {
  /** The server's name in rules. */
  readonly server: string;
  /** A URI template (RFC 6570). */
  readonly template: string;
  readonly name: string;
  readonly description?: string;
  /** The server suggests values for its variables. */
  readonly completes: boolean;
}

export interface ServerPrompt {
  /** The server's name in rules. */
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly PromptArgument[];
  /** The server suggests values for them. */
  readonly completes: boolean;
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

/** A value that the user begins to type: of a prompt's argument, or of a variable of a template. */
export interface CompletionRequest {
  readonly server: string;
  readonly prompt?: string;
  readonly template?: string;
  readonly argument: string;
  readonly value: string;
  /** What the user has given before. */
  readonly given?: Readonly<Record<string, string>>;
}

/** `data`: Base64. */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string };

/** Text of a part that a chat takes, in characters. */
export const CONTENT_LENGTH = 200_000;

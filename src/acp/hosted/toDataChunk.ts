import type { ContentBlock, SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Compaction, ConfigOption, DataChunk } from '../../base/stream/dataChunk.ts';

/**
 * Converts an update to a typed chunk as far as possible; the reader compares both and adds the
 * update where information is lost. Undefined when no chunk type fits.
 */
export function toDataChunk(update: SessionUpdate): DataChunk | undefined {
  switch (update.sessionUpdate) {
    case 'plan':
      return { type: 'data-plan', id: 'plan', data: { items: update.entries } };
    case 'current_mode_update':
      return { type: 'data-mode', data: { modeId: update.currentModeId }, transient: true };
    case 'available_commands_update': {
      const commands = update.availableCommands.map(({ name, description, input }) => ({
        name,
        description,
        ...(input && { hint: input.hint }),
      }));
      return { type: 'data-commands', data: { commands }, transient: true };
    }
    case 'config_option_update': {
      const options = update.configOptions.map(toConfigOption);
      return { type: 'data-config', data: { options }, transient: true };
    }
    case 'usage_update': {
      const { used, size, cost } = update;
      return { type: 'data-context', data: { used, size, ...(cost && { cost }) }, transient: true };
    }
    case 'compaction_update':
      return toCompaction(update);
    case 'compaction_summary_chunk': {
      const { compactionId: id, content } = update;
      if (content.type !== 'text') return undefined;
      const data = { status: 'in_progress', summaryDelta: content.text } as const;
      return { type: 'data-compaction', id, data };
    }
    default:
      return undefined;
  }
}

/** Flattens grouped choices into one list. */
function toConfigOption(option: SessionConfigOption): ConfigOption {
  const { id, name, description, category } = option;
  const field = { id, name, ...(description && { description }), ...(category && { category }) };
  if (option.type === 'boolean') return { ...field, type: 'boolean', value: option.currentValue };
  const choices = option.options
    .flatMap((choice) => ('value' in choice ? [choice] : choice.options))
    .map((choice) => ({
      value: choice.value,
      name: choice.name,
      ...(choice.description && { description: choice.description }),
    }));
  return { ...field, type: 'select', value: option.currentValue, choices };
}

type CompactionNews = Extract<SessionUpdate, { readonly sessionUpdate: 'compaction_update' }>;

function toCompaction({ compactionId: id, status, summary, error }: CompactionNews) {
  const known = STATUSES.find((each) => each === status);
  const text = toOneText(summary);
  if (known === undefined || text === undefined) return undefined;
  const data: Compaction = { status: known, ...text, ...(error && { error }) };
  return { type: 'data-compaction' as const, id, data };
}

const STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

/** Undefined for a summary with more than one text. */
function toOneText(
  summary: readonly ContentBlock[] | null | undefined,
): { readonly summary?: string } | undefined {
  if (summary == null) return {};
  const [block, ...others] = summary;
  return block?.type === 'text' && others.length === 0 ? { summary: block.text } : undefined;
}

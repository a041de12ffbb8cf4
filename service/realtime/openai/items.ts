import { randomUUID } from 'node:crypto';
import { joinTexts } from '../../../src/text/local-agreement.ts';

/** A message of `/ws/asr/realtime`, as far as it is read here. */
export interface OwnMessage {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly utterance_id?: string;
  readonly utterance_ids?: readonly string[];
  readonly text?: string;
  readonly audio_start_ms?: number;
  readonly audio_end_ms?: number;
}

/** A turn of the conversation: an utterance, or those that the client commits together. */
interface Item {
  readonly id: string;
  /** The texts of its utterances, in their order; undefined as long as one is not whole. */
  readonly texts: Map<string, string | undefined>;
  /** The text so far, as the client was told it. */
  shown: string;
  spokenMs: number;
  isCommitted: boolean;
  failure?: Pick<OwnMessage, 'code' | 'message'>;
}

const newItem = (): Item => ({
  id: `item_${randomUUID().replaceAll('-', '').slice(0, 21)}`,
  texts: new Map(),
  shown: '',
  spokenMs: 0,
  isCommitted: false,
});

/**
 * Creates what tells a client of the OpenAI API of utterances as items of a conversation.
 *
 * @param say sends a message of that API
 * @param isFormer true for clients of its former form
 */
export const createItems = (say: (type: string, fields: object) => void, isFormer: boolean) => {
  const byUtterance = new Map<string, Item>();
  /** The item of what the client has not committed, where it commits itself. */
  let buffer: Item | undefined;
  let lastId: string | null = null;
  let open: string | undefined;

  const sayDelta = ({ id }: Item, delta: string): void => {
    if (delta === '') return;
    say('conversation.item.input_audio_transcription.delta', {
      item_id: id,
      content_index: 0,
      delta,
    });
  };

  const commit = (item: Item): void => {
    item.isCommitted = true;
    const previous = { previous_item_id: lastId };
    lastId = item.id;
    say('input_audio_buffer.committed', { item_id: item.id, ...previous });
    const content = [{ type: 'input_audio', transcript: null }];
    const whole = { id: item.id, type: 'message', role: 'user', status: 'completed', content };
    const object = { ...whole, object: 'realtime.item' };
    for (const step of isFormer ? ['created'] : ['added', 'done'])
      say(`conversation.item.${step}`, { ...previous, item: object });
  };

  /** Tells an item's text once all of it is known. */
  const settle = (item: Item): void => {
    const texts = [...item.texts.values()].filter((text) => text !== undefined);
    if (!item.isCommitted || texts.length < item.texts.size) return;
    for (const utterance of item.texts.keys()) byUtterance.delete(utterance);
    const place = { item_id: item.id, content_index: 0 };
    if (item.failure) {
      const { code, message } = item.failure;
      const error = { type: 'transcription_error', code, message, param: null };
      return say('conversation.item.input_audio_transcription.failed', { ...place, error });
    }
    const transcript = joinTexts(texts);
    if (transcript.startsWith(item.shown)) sayDelta(item, transcript.slice(item.shown.length));
    say('conversation.item.input_audio_transcription.completed', {
      ...place,
      transcript,
      usage: { type: 'duration', seconds: item.spokenMs / 1_000 },
    });
  };

  const began = (utterance: string, message: OwnMessage, findsTurns: boolean): void => {
    const item = findsTurns ? newItem() : (buffer ??= newItem());
    item.texts.set(utterance, undefined);
    byUtterance.set(utterance, item);
    open = utterance;
    if (!findsTurns) return;
    const { audio_start_ms } = message;
    say('input_audio_buffer.speech_started', { item_id: item.id, audio_start_ms });
  };

  const grew = (item: Item, text = ''): void => {
    if (item === buffer || !text.startsWith(item.shown)) return;
    sayDelta(item, text.slice(item.shown.length));
    item.shown = text;
  };

  const stopped = (item: Item, { audio_start_ms = 0, audio_end_ms = 0 }: OwnMessage): void => {
    open = undefined;
    item.spokenMs += audio_end_ms - audio_start_ms;
    if (item === buffer) return;
    say('input_audio_buffer.speech_stopped', { item_id: item.id, audio_end_ms });
    commit(item);
  };

  const heard = (utterance: string, item: Item, { text = '' }: OwnMessage): void => {
    item.texts.set(utterance, text);
    settle(item);
  };

  return {
    /** True while somebody speaks. */
    isOpen: (): boolean => open !== undefined,
    /** Takes a message about an utterance; others tell nothing that the client would know. */
    take: (message: OwnMessage, findsTurns: boolean): void => {
      for (const failed of message.utterance_ids ?? []) {
        const item = byUtterance.get(failed);
        if (!item) continue;
        item.failure = message;
        item.texts.set(failed, '');
        settle(item);
      }
      const { utterance_id: utterance = '' } = message;
      if (message.type === 'speech_started') return began(utterance, message, findsTurns);
      const item = byUtterance.get(utterance);
      if (!item) return;
      if (message.type === 'asr.partial_result') grew(item, message.text);
      else if (message.type === 'speech_stopped') stopped(item, message);
      else if (message.type === 'asr.final_result') heard(utterance, item, message);
    },
    /** Commits what was said since the last commit. */
    commit: (): void => {
      const item = buffer ?? newItem();
      buffer = undefined;
      commit(item);
      settle(item);
    },
    /** Forgets what was not committed. */
    clear: (): void => {
      const item = buffer ?? byUtterance.get(open ?? '');
      for (const utterance of item?.texts.keys() ?? []) byUtterance.delete(utterance);
      buffer = undefined;
      open = undefined;
    },
  };
};

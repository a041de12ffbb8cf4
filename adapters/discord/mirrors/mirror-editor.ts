import { AppError, toAppError } from '../../../src/errors.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { personaParts, replyParts, sectionOf, withoutVoice, type Writer } from './mirror-parts.ts';
import { isGone } from '../errors.ts';
import { findAlone, findParts, type FoundMirror } from './find-posted.ts';
import { BY_BOT, placed, type Placed } from './handles.ts';
import { CONTENT_CHARS } from '../limits.ts';
import { paced } from './message-writer.ts';
import { isFinal, syncParts } from '../outbound/sync.ts';
import type { Part } from '../outbound/render.ts';
import { readSections, replaceSection, withoutSource, writeSections } from './sections.ts';
import { createSharedMessages, type SharedMessagesDeps } from './shared-messages.ts';
import { isHookGone } from './webhook-message-writer.ts';

/** Changes copies where they stand. */
export interface MirrorEditor {
  /**
   * Resolves with where it stands now; with undefined where it could only be taken away, for the
   * webhook that has written it is gone. `not-found` when it was deleted.
   */
  rewrite(former: Placed, copy: Mirror): Promise<Placed | undefined>;
  /** Takes the copy of one source away; what else stands in the same messages stays. */
  erase(former: Placed, source: MessageRef): Promise<void>;
}

const writerOf = ({ handle }: Placed): Writer =>
  handle.webhookId === undefined ? 'bot' : 'webhook';

const textsOf = (copy: Mirror, by: Writer): readonly Part[] =>
  copy.as ? personaParts(copy, by).texts : replyParts(copy);

/** Whether what was found says what the copy says; Discord trims what it is given. */
export const says = ({ placed: found, contents }: FoundMirror, copy: Mirror): boolean => {
  const [content = ''] = contents;
  if (found.handle.shared) {
    const wanted = sectionOf(copy, writerOf(found))?.text;
    return readSections(content).some(({ text }) => text.trim() === wanted?.trim());
  }
  const wanted = textsOf(copy, writerOf(found)).map((part) => part.content.trim());
  return wanted.join('\0') === contents.map((each) => each.trim()).join('\0');
};

export const createMirrorEditor = (deps: SharedMessagesDeps): MirrorEditor => {
  const { outbox, ownMessages, pensFor } = deps;
  const shared = createSharedMessages(deps);

  const erase: MirrorEditor['erase'] = async (former, source) => {
    try {
      if (former.handle.shared) {
        const found = await shared.find(former, source);
        await shared.show(found, withoutSource(found.sections, source));
      } else await pensFor.erase(former);
    } catch (thrown) {
      if (!isGone(thrown) && toAppError(thrown).code !== 'not-found') throw thrown;
    }
    outbox.forget(source);
  };

  /**
   * With what else stands of the copy: when a copy grows, a try that was cut off may have posted some
   * of the parts that are to be added.
   */
  const withParts = async (
    { channel, ids, handle }: Placed,
    copy: Mirror,
  ): Promise<readonly string[]> => {
    const found = await findParts(ownMessages(channel, [copy.source]), copy, handle.webhookId);
    return [...ids, ...found.filter((id) => !ids.includes(id))];
  };

  const rewriteMessages = async (former: Placed, copy: Mirror): Promise<Placed> => {
    const { channel, ids, handle } = former;
    const pen = await pensFor.of(former, {
      persona: copy.as,
      replyTo: copy.as ? undefined : copy.source,
    });
    const writing =
      handle.webhookId === undefined ? pen : paced(pen, async () => outbox.pace(channel));
    // What was spoken cannot be edited, neither there nor here.
    const voice = handle.voice ? ids.slice(0, 1) : [];
    const shown = copy.as && !handle.voice ? withoutVoice(copy) : copy;
    const texts = textsOf(shown, writerOf(former));
    const isMore = voice.length + texts.length > ids.length;
    const all = isMore ? await withParts(former, copy) : ids;
    const now = await syncParts(writing, all.slice(voice.length), texts);
    return placed(channel, [...voice, ...now], handle);
  };

  const rewriteOwn = async (former: Placed, copy: Mirror): Promise<Placed | undefined> => {
    try {
      return await rewriteMessages(former, copy);
    } catch (thrown) {
      if (!isHookGone(thrown)) throw thrown;
      await pensFor.erase(former);
      outbox.forget(copy.source);
      return undefined;
    }
  };

  /** What tries that were cut off have posted of a copy that left the message it had shared. */
  const eraseAlone = async ({ channel, ids: [except] }: Placed, copy: Mirror): Promise<void> => {
    const own = ownMessages(channel, [copy.source]);
    for (const id of await findAlone(own, copy, except))
      await pensFor.erase(placed(channel, [id], BY_BOT));
  };

  const rewriteShared = async (former: Placed, copy: Mirror): Promise<Placed | undefined> => {
    const found = await shared.find(former, copy.source);
    const { placed: message, sections } = found;
    const rest = withoutSource(sections, copy.source);
    if (rest.length === sections.length) throw new AppError('not-found', 'a copy was taken away');
    const changed = sectionOf(copy, writerOf(message));
    const now = changed && replaceSection(sections, changed, copy.source);
    if (now && writeSections(now).length <= CONTENT_CHARS) return shared.show(found, now);
    if (rest.length === 0)
      return rewriteOwn({ ...message, handle: { ...message.handle, shared: false } }, copy);
    // It has outgrown the others: it gets a message of its own.
    await eraseAlone(message, copy);
    const own = await outbox.postAlone(message.channel, copy);
    try {
      await shared.show(found, rest);
    } catch (thrown) {
      if (isFinal(thrown)) await erase(own, copy.source);
      throw thrown;
    }
    return own;
  };

  return {
    rewrite: async (former, copy) =>
      former.handle.shared ? rewriteShared(former, copy) : rewriteOwn(former, copy),
    erase,
  };
};

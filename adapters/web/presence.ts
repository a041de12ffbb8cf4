import { randomUUID } from 'node:crypto';
import { AppError } from '../../src/errors.ts';
import type { Core } from '../../src/adapter.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { createChannelLog } from './channel-log.ts';
import { createHub, type Hub } from './hub.ts';
import { createInvocations, type Invocations } from './invocations.ts';
import { LIMITS, TIMES } from './limits.ts';
import { createLounge } from './lounge.ts';
import { toHtml } from './markdown.ts';
import { createMembers, type Members, type Profile } from './members.ts';
import { createPlatform, createRender } from './platform.ts';
import { createTempStore, type TempStore } from './temp-store.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { clip, createUses, type Uses } from './uses.ts';
import type { ChannelId, ServerEvent, WireMe, WireReader } from './wire.ts';

/** Everything behind the page's routes: who is there, what was said, what is being made. */
export interface WebPresence extends Uses, AsyncDisposable {
  readonly platform: Platform;
  readonly members: Members;
  readonly files: TempStore;
  readonly uploads: Uploads;
  readonly stop: Invocations['stop'];
  events(member: Profile, lastId: string): ReadableStream<Uint8Array>;
  post(member: Profile, channel: ChannelId, text: string): void;
  rename(member: Profile, name: string): void;
  read(member: Profile, language: string): Promise<void>;
}

export const createWebPresence = (
  core: Core,
  options: { maxUploadBytes: number; graceMs?: number },
): WebPresence => {
  const { languages } = core.services;
  const members = createMembers(core.texts, core.services, () => hub.present());
  const files = createTempStore({ files: LIMITS.answerFiles, bytes: LIMITS.answerFilesBytes });
  const uploads = createUploads(options.maxUploadBytes);
  const leaving = new Map<string, NodeJS.Timeout>();

  const present = (): Profile[] => hub.present().flatMap((id) => members.get(id) ?? []);

  const onPresence = (memberId: string, isPresent: boolean): void => {
    clearTimeout(leaving.get(memberId));
    leaving.delete(memberId);
    if (!isPresent) {
      const abandon = setTimeout(() => {
        leaving.delete(memberId);
        invocations.abandon(memberId);
      }, options.graceMs ?? TIMES.graceMs);
      leaving.set(memberId, abandon.unref());
    }
    tellReaders();
  };

  const hub: Hub = createHub({ epoch: randomUUID(), reader: members.get, onPresence });
  const board = createChannelLog(hub.publish);
  const render = createRender(files);
  const invocations = createInvocations(core, board, render);
  const lounge = createLounge({
    core,
    board,
    publish: hub.publish,
    languages: () => present().map(({ language }) => language),
  });
  const beat = setInterval(hub.beat, TIMES.beatMs).unref();

  const readers = (): WireReader[] =>
    present().map(({ id, name, language }) => ({ id, name, language }));

  const tellReaders = (): void => {
    const event: ServerEvent = { type: 'readers', readers: readers() };
    hub.publish(() => event);
  };

  const meOf = ({ id, name, language, locale }: Profile): WireMe => ({
    id,
    name,
    language,
    languageName: languages.name(language, locale),
  });

  const helloTo = (reader: Profile): ServerEvent => ({
    type: 'hello',
    snapshot: {
      me: meOf(reader),
      readers: readers(),
      messages: board.visibleTo(reader.id).map((message) => lounge.as(message, reader)),
    },
  });

  /** Shows somebody the lounge in the language that they read now. */
  const readAnew = (memberId: string): void => {
    hub.publish((reader) => (reader.id === memberId ? helloTo(reader) : undefined));
    tellReaders();
    const language = members.get(memberId)?.language;
    if (language !== undefined) lounge.catchUp(language);
  };

  const uses = createUses({
    core,
    invocations,
    uploads,
    onDone: async ({ id }) => {
      if (await members.refresh(id)) readAnew(id);
    },
  });

  return {
    platform: createPlatform({ board, render }),
    members,
    files,
    uploads,
    stop: invocations.stop,
    ...uses,
    events: (member, lastId) => {
      const stream = hub.connect(member, lastId, () => helloTo(member));
      lounge.catchUp(member.language);
      return stream;
    },
    post: ({ id, name }, channel, text) => {
      if (channel === 'lounge') lounge.admit(id);
      const entry = board.add({
        channel,
        author: { id, name, ours: false },
        html: toHtml(text),
        tone: 'plain',
        files: [],
        working: false,
        source: text,
      });
      if (channel === 'lounge') lounge.translate(entry);
    },
    rename: (member, name) => {
      members.rename(member.id, name);
      hub.publish((reader) =>
        reader.id === member.id ? { type: 'me', me: meOf(reader) } : undefined,
      );
      tellReaders();
    },
    read: async (member, typed) => {
      const language = languages.find(typed);
      if (language === undefined)
        throw new AppError('bad-input', 'an unknown language was chosen', {
          sentence: { key: 'web.errors.unknown-language', params: { language: clip(typed) } },
        });
      await members.read(member.id, language);
      readAnew(member.id);
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(beat);
      await invocations[Symbol.asyncDispose]();
      await lounge[Symbol.asyncDispose]();
      hub.close();
      await uploads[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
};

import type { PersonalData } from '../../src/ports/platform.ts';
import type { ChannelLog, LogEntry } from './channel-log.ts';
import type { Dictations } from './dictations.ts';
import type { EventStreams } from './event-streams.ts';
import type { Invocations } from './invocations.ts';
import type { Lounge } from './lounge.ts';
import type { Profiles } from './profiles.ts';
import type { PageMessage } from './protocol.ts';
import type { TempStore, UploadStore } from './temp-store.ts';

export interface PersonalDataDeps {
  readonly channelLog: ChannelLog;
  readonly dictations: Pick<Dictations, 'forget' | 'of'>;
  readonly files: TempStore;
  readonly invocations: Invocations;
  readonly lounge: Lounge;
  readonly members: Profiles;
  readonly streams: Pick<EventStreams, 'forgetPast' | 'publish'>;
  readonly uploads: UploadStore;
  /** Called when a member has another name. */
  readonly onRenamed: (memberId: string) => void;
}

const EMPTY = { html: '', files: [], controls: [] } as const satisfies Partial<PageMessage>;

const exported = ({ message, source }: LogEntry) => {
  const { channel, sentAtMs, html, use, files, onlyYou } = message;
  return {
    channel,
    sent: new Date(sentAtMs).toISOString(),
    by: message.author.ours ? 'Dragoman' : 'you',
    ...(use ? { command: use.command, options: use.options } : {}),
    ...(source === '' ? { html } : { text: source }),
    files: files.map(({ name, mediaType, sizeBytes }) => ({ name, mediaType, sizeBytes })),
    onlyYou,
  };
};

/** Creates the access to the page's data about people: messages with their files, uploads, names, recordings. */
export const createPersonalData = ({
  channelLog,
  dictations,
  files,
  invocations,
  lounge,
  members,
  streams,
  uploads,
  onRenamed,
}: PersonalDataDeps): PersonalData => ({
  export: async (memberId) => ({
    page: {
      name: members.get(memberId)?.name ?? null,
      messages: channelLog.of(memberId).map(exported),
      uploads: uploads
        .of(memberId)
        .map(({ name, mediaType, sizeBytes }) => ({ name, mediaType, sizeBytes })),
      recording: (await dictations.of(memberId)) ?? null,
    },
  }),

  forget: async (memberId) => {
    dictations.forget(memberId);
    // One of them is the answer that confirms the deletion.
    const answering = invocations.abandonFor(memberId);
    const gone = channelLog.of(memberId);
    for (const { message } of gone)
      if (answering.has(message.id)) channelLog.change(message.id, EMPTY);
      else channelLog.remove(message.id);
    lounge.forgetGone();
    members.forgetName(memberId);
    // Last, so that a reader who reconnects does not get deleted messages again.
    streams.forgetPast();
    streams.publish((reader) => (reader.id === memberId ? { type: 'forgotten' } : undefined));
    onRenamed(memberId);
    await uploads.forget(memberId);
    for (const { message } of gone) for (const { id } of message.files) await files.remove(id);
  },

  optedOut: (memberId) => {
    dictations.forget(memberId);
    lounge.optedOut(memberId);
    streams.forgetPast();
  },
});

import { resultOf } from '../../async/abort.ts';
import { logFailure } from '../../telemetry/log.ts';
import type { Message, MessageFile } from '../../model/message.ts';
import type { Channel } from '../../model/place.ts';
import { plainText } from '../../rich-text/walk.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import { createMeter } from '../../usage/meter.ts';
import type { RoomContext } from '../room-types.ts';
import { spokenMs } from '../tts/speech-item.ts';
import type { Captioning } from './captioning.ts';

export interface WrittenCaptionsDeps {
  readonly room: Pick<RoomContext, 'services' | 'channel' | 'clock' | 'signal' | 'log'>;
  readonly captioning: Pick<Captioning, 'current' | 'nextId'>;
  /** True of members who are captioned: they are in the room, were notified and did not refuse. */
  readonly isCaptioned: (memberId: string) => boolean;
  /** True of a channel whose messages auto-translate shows in other languages already. */
  readonly isWatched: (channel: Channel) => boolean;
}

const WRITTEN = '💬';
const SENT = '🎤';

/**
 * Captions what people write in the chat of their voice channel, and their voice messages there: it is a part of what
 * is said. In that chat itself only what adds something to the message is shown.
 */
export const createWrittenCaptions = (deps: WrittenCaptionsDeps) => {
  const { captioning, isCaptioned, isWatched } = deps;
  const { services, channel, clock, signal, log } = deps.room;

  const caption = (
    { author, ref }: Message,
    said: { readonly text: string; readonly language: string; readonly startMs: number },
    sign: typeof WRITTEN | typeof SENT,
  ): void => {
    const session = captioning.current();
    if (!session || !isCaptioned(author.id)) return;
    const isSeen = sign === WRITTEN || isWatched(ref.channel);
    const isTranslated =
      !isWatched(ref.channel) && session.languages().some((to) => !sameLanguage(to, said.language));
    const event = {
      ...said,
      id: captioning.nextId(),
      speakerId: author.id,
      endMs: said.startMs + spokenMs(said.text),
      isFinal: true,
      isOnlyRecorded: session.channel.id === channel().id && isSeen && !isTranslated,
    };
    session.transcript(event, `${sign} ${author.name}`);
  };

  const transcribe = async (message: Message, audio: MessageFile): Promise<void> => {
    const startMs = clock.nowMs();
    const place = message.ref.channel;
    const meter = createMeter(services, { space: place.space, memberId: message.author.id });
    try {
      const { durationMs } = audio.voice ?? {};
      const request = { audio, place, lane: 'ambient', durationMs } as const;
      const heard = await resultOf(meter.services.transcriber.transcribe(request, signal));
      caption(message, { ...heard, startMs }, SENT);
    } finally {
      await meter.settle();
    }
  };

  return {
    /** Takes the words of a message. */
    text: (message: Message): void => {
      const text = plainText(message.text);
      const { space } = message.ref.channel;
      const author = { platform: space.platform, id: message.author.id };
      const writer = { author, channel: message.ref.channel, chosen: undefined };
      const language = services.languages.detect(text, writer)?.language ?? '';
      caption(message, { text, language, startMs: clock.nowMs() }, WRITTEN);
    },
    /** Takes the voice messages of a message. */
    voice: (message: Message): void => {
      if (!captioning.current() || !isCaptioned(message.author.id)) return;
      for (const file of message.files.filter(({ voice }) => voice))
        void logFailure(log, 'a voice message could not be captioned', () =>
          transcribe(message, file),
        );
    },
  };
};

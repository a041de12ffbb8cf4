import type { CommandInfo } from '../../../src/model/command-info.ts';

const AUDIO_NAME = /\.(?:wav|ogg|oga|opus|mp3|flac|m4a|mp4|webm|aac)$/i;

const isAudio = ({ name, type }: { name: string; type: string }): boolean =>
  type.startsWith('audio/') || type === 'video/webm' || AUDIO_NAME.test(name);

/** The command that a file is most likely meant for: sound is transcribed. */
export const commandForFile = (
  file: { name: string; type: string },
  commands: readonly CommandInfo[],
): CommandInfo | undefined => {
  const taking = commands.filter(({ options }) =>
    options.some(({ kind, required }) => kind === 'attachment' && required),
  );
  const transcribe = taking.find(({ name }) => name === 'transcribe');
  const other = taking.find(({ name }) => name !== 'transcribe');
  return isAudio(file) ? (transcribe ?? other) : (other ?? transcribe);
};

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** `12.3 MB`, as the locale writes it. */
export const sizeText = (bytes: number, locale: string): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    maximumFractionDigits: power === 0 ? 0 : 1,
  }).format(bytes / 1_000 ** power);
};

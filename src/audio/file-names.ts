const AUDIO_NAME =
  /\.(?:wav|og[ga]|opus|spx|mp[23]|mpga|flac|m4[abr]|qta|web[ma]|aac|aiff?|aifc|3ga|amr|awb|caf|mka|wma)$/i;
const VIDEO_NAME = /\.(?:mp4|m4v|mov|mkv|3gp)$/i;

/** True when a file's name is that of an audio file. */
export const isAudioName = (name: string): boolean => AUDIO_NAME.test(name);

/** True when a file may hold audio, videos included, by its name or media type. */
export const mayHoldAudio = (name: string, mediaType: string): boolean =>
  /^(?:audio|video)\//.test(mediaType) || isAudioName(name) || VIDEO_NAME.test(name);

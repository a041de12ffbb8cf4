const AUDIO_NAME = /\.(?:wav|ogg|oga|opus|mp3|flac|m4a|webm|aac|aiff?|aifc|amr|caf|mka|wma)$/i;

/** True when a file's name is that of an audio file. */
export const isAudioName = (name: string): boolean => AUDIO_NAME.test(name);

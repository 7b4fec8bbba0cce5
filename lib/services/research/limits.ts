/** Up to twenty whole pages. A larger response is of no use to anyone. */
export const answerBytesMax = 8 * 1024 * 1024;

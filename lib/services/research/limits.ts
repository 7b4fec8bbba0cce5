/** Pages come whole, twenty at a time; what is larger is not an answer that anybody can use. */
export const answerBytesMax = 8 * 1024 * 1024;

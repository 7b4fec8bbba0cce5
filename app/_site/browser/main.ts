import './copy';
import './languages';
